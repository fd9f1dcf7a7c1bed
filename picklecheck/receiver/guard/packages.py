"""Which files are worth reading in full: the words that they must have, and the packages that are left out."""

from __future__ import annotations

__all__ = ["WORDS", "known_package"]

# A file without any of these words starts no process itself.
WORDS = (
    b"multiprocess", b"concurrent", b"ProcessPool", b"num_workers", b"num_proc", b"billiard", b"pathos", b"p_map",
    b"distributed", b"VecEnv", b"VectorEnv", b"mpire", b"pebble", b"process_map", b"workers", b"uvicorn", b"launch",
    b"DataLoader", b"pymc", b"ultralytics", b"vllm", b"set_start_method", b"joblib", b"oader",
    b"gensim", b"tsfresh", b"n_process", b"rainer",
)  # fmt: skip

# Packages that are too large to be read for each script that imports them; what they start stands in the tables above.
_LARGE = frozenset(
    (
        "accelerate", "attr", "attrs", "bokeh", "boto3", "botocore", "click", "cloudpickle", "cv2", "dask",
        "datasets", "dill", "distributed", "django", "flask", "gensim", "gym", "gymnasium", "h5py", "hypothesis",
        "IPython", "jax", "joblib", "keras", "lightning", "loky", "matplotlib", "megengine", "multiprocess", "mypy",
        "networkx", "numba", "numpy", "pandas", "PIL", "pip", "plotly", "polars", "pyarrow", "pydantic", "pygments",
        "pymc", "pytest", "pytorch_lightning", "ray", "requests", "rich", "scipy", "setuptools", "sklearn", "spacy",
        "sqlalchemy", "stable_baselines3", "sympy", "tensorflow", "timm", "tokenizers", "torch", "torchaudio",
        "torchvision", "tqdm", "transformers", "tsfresh", "typer", "ultralytics", "vllm", "wandb", "yaml",
    )
)  # fmt: skip


def known_package(name: str) -> bool:
    """Tell whether a package is left unread."""
    return name in _LARGE
