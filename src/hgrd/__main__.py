"""`python -m hgrd`."""

from hgrd.cli.main import entry

if __name__ == "__main__":
    entry()
