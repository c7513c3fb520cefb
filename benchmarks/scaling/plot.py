"""The figures of measure.py as a picture: time against size and against pairs, memory against size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes


def plot(results: dict[str, Any], file: Path) -> None:
    """One panel for each pair of axes, one line for each shape; points without an answer are left out."""
    figure, panels = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
    by_size, by_pairs, memory = panels
    for shape in results["shapes"].values():
        points = [p for p in shape["points"] if "analysis" in p]
        for panel, x, y in (
            (by_size, "size", "analysis"),
            (by_pairs, "pairs", "analysis"),
            (memory, "size", "peak_mib"),
        ):
            slope = shape["slope"].get(x)
            label = shape["unit"] if panel is memory or slope is None else f"{shape['unit']} (slope {slope})"
            panel.plot([p[x] for p in points], [p[y] for p in points], marker="o", markersize=3, label=label)
    _dress(by_size, "size", "CPU seconds for the analysis")
    _dress(by_pairs, "pairs of accesses", "CPU seconds for the analysis")
    _dress(memory, "size", "peak memory in MiB")
    figure.savefig(file, dpi=120)
    plt.close(figure)


def _dress(panel: Axes, x: str, y: str) -> None:
    panel.set(xlabel=x, ylabel=y, xscale="log", yscale="log")
    panel.grid(visible=True, which="both", alpha=0.3)
    panel.legend(fontsize="small")
