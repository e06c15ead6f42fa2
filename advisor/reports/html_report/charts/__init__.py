"""Charts as SVG, drawn by Matplotlib; their colours are those of the page's style sheet."""
