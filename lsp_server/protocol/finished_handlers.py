"""What pygls keeps of handlers that have ended."""

from __future__ import annotations

from pygls.protocol import LanguageServerProtocol

_MANY = 100


def forget_finished(protocol: LanguageServerProtocol) -> None:
    """Drop the handlers that have ended.

    pygls 2.1 keeps the task of each asynchronous handler of a message that it handles itself too, such as
    `textDocument/didChange`, to the end: three kilobytes for each keystroke. Its own attribute is read with
    care, for another version may have mended that.
    """
    kept = getattr(protocol, "_request_futures", None)
    if isinstance(kept, dict) and len(kept) > _MANY:
        for name in [name for name, future in kept.items() if future.done()]:
            kept.pop(name, None)
