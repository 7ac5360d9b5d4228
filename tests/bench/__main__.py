"""`python -m tests.bench`"""

from tests.bench.run import main

main()
