"""The risk inside balls down to the rarest: margins, multilevel splitting, and the moves of its particles."""
