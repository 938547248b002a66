"""Models and data from files and from memory, behind one interface each.

Models: Python callables, scikit-learn through skops, ONNX, torch with safetensors, tflite, MAITE-shaped objects, and
pickle where it is trusted in words. Data: npz, csv, parquet, image folders, Python callables. May import ``core``;
each library is imported where it is used.
"""

from surefoot.adapters import scenes
from surefoot.adapters.answers import RIGHT_OR_WRONG, Data, Output, Tested, tested
from surefoot.adapters.array_data import Arrays, arrays_digest
from surefoot.adapters.data_sources import as_data, data_digest, load_data
from surefoot.adapters.demands import applied, demand_rows, demand_source, judged_columns, predicted
from surefoot.adapters.frames import Frame, FrameTable, is_frame
from surefoot.adapters.isolation import apply_isolated, describe_isolated, make_isolated, score_isolated, write_arrays
from surefoot.adapters.model import LoadedModel, ModelDescription, Scored, describe, score, scored
from surefoot.adapters.model_sources import Identity, load_model, model_identity
from surefoot.adapters.python_models import as_model, types_to_trust
from surefoot.adapters.scenes.boxes import as_box_rows

__all__ = [
    "RIGHT_OR_WRONG",
    "Arrays",
    "Data",
    "Frame",
    "FrameTable",
    "Identity",
    "LoadedModel",
    "ModelDescription",
    "Output",
    "Scored",
    "Tested",
    "applied",
    "apply_isolated",
    "arrays_digest",
    "as_box_rows",
    "as_data",
    "as_model",
    "data_digest",
    "demand_rows",
    "demand_source",
    "describe",
    "describe_isolated",
    "is_frame",
    "judged_columns",
    "load_data",
    "load_model",
    "make_isolated",
    "model_identity",
    "predicted",
    "scenes",
    "score",
    "score_isolated",
    "scored",
    "tested",
    "types_to_trust",
    "write_arrays",
]
