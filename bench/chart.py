"""A bar chart as plain SVG text, readable in a light and in a dark page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

ROW, LABEL, PLOT, MARGIN = 24, 150, 520, 16
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#24292f}.n{font-size:12px}.h{font-weight:600}"
    "rect{fill:#2f6f8f}line{stroke:#b3541e;stroke-dasharray:4 4}.m{fill:#b3541e;font-size:12px}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#5aa9cc}line{stroke:#f0a36b}.m{fill:#f0a36b}}"
)


def bar_chart(title: str, bars: Mapping[str, float], *, unit: str, mark: tuple[str, float], digits: int = 0) -> str:
    """One bar for each name, longest value across the plot, and a dashed line at `mark`, (words, value).

    Values are written with so many digits after the point.
    """
    most = max(*bars.values(), mark[1])
    top, bottom = 58, 58 + ROW * len(bars)
    width, height = LABEL + PLOT + 100, bottom + MARGIN
    at = LABEL + PLOT * mark[1] / most
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text class="h" x="{MARGIN}" y="24">{escape(title)}</text>',
        f'<text class="m" x="{at:.0f}" y="48" text-anchor="middle">{escape(mark[0])}</text>',
    ]
    for row, (name, value) in enumerate(bars.items()):
        y, length = top + ROW * row, PLOT * value / most
        lines += [
            f'<text x="{LABEL - 8}" y="{y + 15}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LABEL}" y="{y + 3}" width="{length:.0f}" height="{ROW - 7}" rx="2"/>',
            f'<text class="n" x="{LABEL + length + 6:.0f}" y="{y + 15}">{value:,.{digits}f} {escape(unit)}</text>',
        ]
    lines += [f'<line x1="{at:.0f}" x2="{at:.0f}" y1="{top - 6}" y2="{bottom}"/>', "</svg>"]
    return "\n".join(lines) + "\n"
