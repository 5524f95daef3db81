"""`python -m podium`: the command line."""

from podium.cli import main

if __name__ == "__main__":
    main()
