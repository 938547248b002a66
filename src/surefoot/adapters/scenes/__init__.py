"""Images with boxes or masks: what is in them, what was answered, and the pictures that a model looks at.

Boxes are read from COCO JSON, csv tables and MOTChallenge text (``box_files``), from memory and from models (``boxes``,
``detectors``), masks from arrays and folders (``masks``), pictures from folders and films (``pictures``). May import
what ``adapters`` may.
"""

from surefoot.adapters.scenes.box_files import load_scenes, scenes_digest
from surefoot.adapters.scenes.boxes import Boxes, Scenes, as_box_rows, as_plain_arrays, scenes_from
from surefoot.adapters.scenes.masks import Masks, load_masks
from surefoot.adapters.scenes.pictures import Pictures, pictured, pictures_of

__all__ = [
    "Boxes",
    "Masks",
    "Pictures",
    "Scenes",
    "as_box_rows",
    "as_plain_arrays",
    "load_masks",
    "load_scenes",
    "pictured",
    "pictures_of",
    "scenes_digest",
    "scenes_from",
]
