"""The Open-PSA Model Exchange Format (Epstein and Rauzy 2008): ``reader.read_mef`` and ``writer.write_mef``.

May import ``surefoot.core`` and the model of fault trees.
"""
