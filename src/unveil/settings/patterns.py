"""What names and keys look like in every settings file, as patterns and in words."""

from __future__ import annotations

from typing import Final

NAME: Final = r"^[a-z][a-z0-9-]{0,62}$"
# 32 bytes in base64url, unpadded; the last letter carries two bits that must be zero, so each key has one spelling.
PUBLIC_KEY: Final = r"^sha256:[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"
NO_NAME_OR: Final = r"^([a-z][a-z0-9-]{0,62})?$"
# Names of columns are printed: no letter that steers a terminal, turns the writing round or is not to be seen.
COLUMN: Final = r"^\P{C}+$"
_NAME_WORDS: Final = "small letters, digits, dashes; a letter first, 63 at most"
#: What these patterns take, in words.
PATTERNS: Final = {
    NAME: _NAME_WORDS,
    NO_NAME_OR: _NAME_WORDS,
    COLUMN: "text, not empty, without control characters",
    PUBLIC_KEY: "sha256: and 43 letters, as unveil pki show prints it",
}
