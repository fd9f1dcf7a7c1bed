"""Which files are worth reading in full: the words that they must have, and the packages that are left out."""

from __future__ import annotations

__all__ = ["WORDS", "known_package"]

# A file without any of these words starts no process itself.
WORDS = (
    b"multiprocess", b"concurrent", b"ProcessPool", b"num_workers", b"num_proc", b"billiard", b"pathos", b"p_map",
    b"distributed", b"VecEnv", b"VectorEnv", b"mpire", b"pebble", b"process_map", b"workers", b"uvicorn", b"launch",
    b"DataLoader", b"pymc", b"ultralytics", b"vllm", b"set_start_method", b"oader",
    b"gensim", b"tsfresh", b"n_process", b"rainer",
)  # fmt: skip

# Packages that are too large to be read for each script that imports them; what they start stands in the tables above.
_LARGE = frozenset(
    (
        "IPython", "PIL", "bokeh", "botocore", "boto3", "cv2", "datasets", "django", "flask", "gym", "gymnasium",
        "accelerate", "gensim", "h5py", "pymc", "ray", "spacy", "stable_baselines3", "timm", "tsfresh", "ultralytics",
        "hypothesis", "jax", "joblib", "keras", "lightning", "matplotlib", "megengine", "multiprocess", "mypy",
        "networkx", "numba", "numpy", "pandas", "pip", "plotly", "polars", "pyarrow", "pydantic", "pygments", "pytest",
        "pytorch_lightning", "requests", "rich", "scipy", "setuptools", "sklearn", "sqlalchemy", "sympy", "tensorflow", "vllm",
        "tokenizers", "torch", "torchvision", "torchaudio", "tqdm", "transformers", "typer", "wandb", "yaml", "attr",
        "attrs", "click", "cloudpickle", "dill", "dask", "distributed", "loky",
    )
)  # fmt: skip


def known_package(name: str) -> bool:
    """Tell whether a package is left unread."""
    return name in _LARGE
