"""Write a trained network as ONNX with weights of 8 bits, beside its tokenizer. Loads torch and onnx."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from .fit import Fitted

__all__ = ["export"]


def export(fitted: Fitted, folder: Path) -> None:
    """``reader.onnx`` and ``tokenizer.json`` into ``folder``; replaces what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in range(3))
    axes = {0: "windows", 1: "tokens"}
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "whole.onnx"
        torch.onnx.export(
            fitted.network.eval(),
            example,
            str(whole),
            input_names=["ids", "mask", "message"],
            output_names=["heads", "tags"],
            dynamic_axes={"ids": axes, "mask": axes, "message": axes, "heads": {0: "windows"}, "tags": axes},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(str(whole), str(folder / "reader.onnx"), weight_type=QuantType.QInt8, per_channel=True)
    fitted.spelling.save(folder / "tokenizer.json")
