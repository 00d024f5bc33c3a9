"""The benchmark: every figure of the product against a floor taken in the same run.

    uv run python tools/bench                       all figures (some fifteen minutes)
    uv run python tools/bench --only send_c32,wake  these alone
    uv run python tools/bench --rounds 9 --json     more rounds; one JSON document on stdout
    uv run python tools/bench --cache FOLDER        keeps the grown databases for the next run
    uv run python tools/bench --quick               tiny sizes: a trial, no numbers to trust

One line a figure: `name value floor ratio`, then the unit, the target and whether it is met; `-`
where a figure has no floor. Figure and floor are taken in turns and the line shows the round whose
ratio is the median, so `value`, `floor` and `ratio` belong together. What each figure means stands
in `tools.bench.figures`.

Servers and floors are processes of their own on 127.0.0.1, with databases in a temporary folder;
the load comes from this process, over raw HTTP/1.1 connections that cost little. The console is
opened in the Chromium that `tools/chromium` finds.
"""
