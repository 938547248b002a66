"""Models and data from files and from memory, behind one interface each.

Models: Python callables, scikit-learn through skops, ONNX, torch with safetensors, tflite, MAITE-shaped objects, and
pickle where it is trusted in words. Data: npz, csv, parquet, image folders, Python callables. May import ``core``;
each library is imported where it is used.
"""

from surefoot.adapters.answers import Data, Output, Tested, tested
from surefoot.adapters.array_data import Arrays, arrays_digest
from surefoot.adapters.data_sources import as_data, data_digest, load_data
from surefoot.adapters.isolation import make_isolated, score_isolated, write_arrays
from surefoot.adapters.model import LoadedModel, Scored, score, scored
from surefoot.adapters.model_sources import Identity, load_model, model_identity
from surefoot.adapters.python_models import as_model

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
