from tests.sync.conftest import Clone


def synced(*clones: Clone) -> None:
    for clone in clones:
        clone("sync")
    for clone in clones:
        clone("sync")


def decided(clone: Clone, record: str, text: str) -> str:
    return clone("bind", record, "adopt", text, "--no-code", "--read", "app.py").id


def shared(one: Clone, two: Clone) -> str:
    """A record that both clones have, undecided."""
    record = one.ask("Tabs or spaces?")
    synced(one, two)
    return record


def test_two_clones_that_decide_apart_contest_the_record(one: Clone, two: Clone) -> None:
    """After the merge both decisions stand, and show says what each was made after."""
    record = shared(one, two)
    vote = two("vote", record, "inform", "-m", "the style guide says so", "--read", "app.py").id
    tabs, spaces = decided(one, record, "tabs"), decided(two, record, "spaces")
    one.ok("sync")

    merged = two("sync")

    assert merged.exit_code == 0
    assert f"warning: {record} is contested: more than one decision stands\n" in merged.stderr
    one.ok("sync")
    shown = one("show", record).stdout
    assert shown == two("show", record).stdout
    contest = shown[shown.index("contested: 2 decisions stand\n") :].splitlines()
    heads = {line.split()[0]: seen.strip() for line, seen in zip(contest[1:4:2], contest[2:5:2], strict=True)}
    assert heads == {
        tabs[:8]: "saw alone: nothing",
        spaces[:8]: f"saw alone: vote {vote[:8]} by two",
    }
    assert one("list").stdout.split()[1] == "contested"


def test_naming_both_settles_a_contested_record(one: Clone, two: Clone) -> None:
    """Only a decision that replaces both ends it; one that is not named stays live."""
    record = shared(one, two)
    tabs, spaces = decided(one, record, "tabs"), decided(two, record, "spaces")
    synced(one, two)
    change = [
        "supersede",
        record,
        "adopt",
        "tabs, eight wide",
        "-m",
        "agreed",
        "--no-code",
        "--read",
        "app.py",
    ]

    unnamed = one(*change)
    assert unnamed.exit_code == 1
    assert f"--replaces {min(tabs, spaces)} --replaces {max(tabs, spaces)}" in unnamed.stderr
    half = two(*change, "--replaces", spaces[:8])
    assert half.stderr.startswith(f"warning: {record} is still contested: ")
    two.git("update-ref", "refs/decisions/log", "refs/decisions/log~1")
    settled = one(*change, "--replaces", tabs[:8], "--replaces", spaces[:8]).id
    synced(one, two)

    for clone in (one, two):
        assert clone("list").stdout.split()[1] == "decided"
        assert "contested" not in clone("show", record).stdout
        assert f"[superseded by {settled[:8]}]" in clone("show", record).stdout


def test_two_clones_that_supersede_apart_contest_the_record(one: Clone, two: Clone) -> None:
    """One decision replaced twice leaves two that stand."""
    record = one.ask("Tabs or spaces?")
    decided(one, record, "tabs")
    synced(one, two)
    for clone, text in ((one, "spaces"), (two, "both")):
        done = clone("supersede", record, "adopt", text, "-m", "changed", "--no-code", "--read", "app.py")
        assert done.exit_code == 0, done

    synced(one, two)

    for clone in (one, two):
        assert clone("list").stdout.split()[1] == "contested"
        assert "contested: 2 decisions stand" in clone("show", record).stdout
