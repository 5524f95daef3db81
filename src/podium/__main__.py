"""`python -m podium`: the command line."""

from podium.cli.entry import main

if __name__ == "__main__":
    main()
