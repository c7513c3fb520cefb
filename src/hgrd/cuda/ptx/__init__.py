"""PTX, the language of inline assembly: its syntax, and which instructions touch nothing but registers."""
