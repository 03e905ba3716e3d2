"""`make bench`: every benchmark, in one run. An argument names a folder of datasets to measure on as well."""

import sys

import batches
import blocking
import exact
import figures
import growth
import learning
import merging
import questions
import scale
import selection
import start

if __name__ == "__main__":
    start.main()
    selection.main()
    exact.main()
    growth.main()
    learning.main()
    figures.write(scale.main(), merging.main())
    blocking.main(*sys.argv[1:2])
    questions.main(*sys.argv[1:2])
    batches.main(*sys.argv[1:2])
