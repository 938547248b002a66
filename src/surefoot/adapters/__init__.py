"""Models and data from files and from memory, behind one interface each.

Models: Python callables, scikit-learn through skops, ONNX, torch with safetensors, tflite, MAITE-shaped objects, and
pickle where it is trusted in words. Data: npz, csv, parquet, image folders, Python callables. May import ``core``;
each library is imported where it is used.
"""

from surefoot.adapters.data import as_data, data_digest, load_data
from surefoot.adapters.identity import Identity, model_identity
from surefoot.adapters.isolation import score_isolated
from surefoot.adapters.loading import load_model
from surefoot.adapters.made_data import make_isolated, write_arrays
from surefoot.adapters.model import LoadedModel
from surefoot.adapters.npz_data import Arrays
from surefoot.adapters.objects import as_model
from surefoot.adapters.python_data import arrays_digest
from surefoot.adapters.scoring import Scored, score, scored
from surefoot.adapters.tested import Data, Output, Tested, tested

__all__ = [
    "Arrays",
    "Data",
    "Identity",
    "LoadedModel",
    "Output",
    "Scored",
    "Tested",
    "arrays_digest",
    "as_data",
    "as_model",
    "data_digest",
    "load_data",
    "load_model",
    "make_isolated",
    "model_identity",
    "score",
    "score_isolated",
    "scored",
    "tested",
    "write_arrays",
]
