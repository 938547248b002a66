"""Images with boxes: what is in them, what was detected, and the pictures that a detector looks at.

Truth and answers are read from COCO JSON, csv tables and MOTChallenge text (``box_files``), from memory and from
models (``boxes``), pictures from folders and films (``pictures``). May import what ``adapters`` may.
"""

from surefoot.adapters.scenes.box_files import load_scenes, scenes_digest
from surefoot.adapters.scenes.boxes import Boxes, Scenes, as_box_rows, as_plain_arrays, scenes_from
from surefoot.adapters.scenes.pictures import Pictures, pictured, pictures_of

__all__ = [
    "Boxes",
    "Pictures",
    "Scenes",
    "as_box_rows",
    "as_plain_arrays",
    "load_scenes",
    "pictured",
    "pictures_of",
    "scenes_digest",
    "scenes_from",
]
