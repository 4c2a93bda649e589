"""tools/course.py notices what makes a lesson stale: another figure, another picture, a claim that is no longer true, a figure that somebody typed."""
import subprocess
import sys

from harness import HEDDLE, SOURCE, Cases

LESSON = """# A lesson

```run ten ten on
heddle run ten.hasm --block 32 --arg rand:f32:32:7 --arg zero:f32:32
```

```let
cycles, instructions = ten: /([\\d,]+) (?:cycles|warp instructions)/
rest = cycles - instructions
claim rest > 0
```

```stacked a.svg
title | cycles | one | two
bar: {{instructions}} {{rest}}
```

It takes {{cycles}} cycles, {{cycles / 2:.1f}} twice.
"""

c = Cases()
lesson = c.root / "a.lesson"
(c.root / "ten.hasm").write_text((SOURCE / "docs/course/ten.hasm").read_text())


def tool(*arguments):
    process = subprocess.run([sys.executable, SOURCE / "tools/course.py", HEDDLE, "--course", c.root, *arguments], capture_output=True, text=True, timeout=120)
    return process.returncode, process.stdout + process.stderr


def expect(status, words, what, *arguments):
    got, said = tool(*arguments)
    c.check(got == status and words in said and "Traceback" not in said, f"{what}: expected status {status} and {words!r}, got {got}\n{said}")


lesson.write_text(LESSON)
expect(1, "+It takes", "a page that was never written", "--check")
expect(0, "", "the lesson is written")
page, picture = (c.root / "a.md").read_text(), (c.root / "a.svg").read_text()
c.check("$ heddle run ten.hasm" in page and "![a](a.svg)" in page and "```let" not in page and "claim" not in page, f"the page\n{page}")
c.check("<svg" in picture and "title" in picture, "the picture")
expect(0, "", "the page is current", "--check")
expect(0, "", "one lesson by its name", "--check", "a")
for old, new, what in ((" cycles, ", " circles, ", "other words"), ("887", "886", "another figure")):
    (c.root / "a.md").write_text(page.replace(old, new))
    c.check(old in page, f"the page has {old!r}")
    expect(1, "what the commands say now", what, "--check")
(c.root / "a.md").write_text(page)
(c.root / "a.svg").write_text(picture.replace("title", "tilte"))
expect(1, "what the commands say now", "another picture", "--check")
(c.root / "a.svg").write_text(picture)
for old, new, words in (("rest > 0", "rest > cycles", "no longer true: rest > cycles"), ("{{cycles}} cycles", "887 cycles", "'887 cycles' is written by hand"),
                        ("{{cycles}} cycles", "12 % of {{cycles}}", "'12 %' is written by hand"), ("cycles, instructions = ten", "cycles = ten", "is found 2 times, expected 1"),
                        ("= ten: /", "= other: /", "nothing called other has run")):
    c.check(old in LESSON, f"the lesson has {old!r}")
    lesson.write_text(LESSON.replace(old, new))
    expect(1, words, words, "--check")
    expect(1, words, words)
    c.check((c.root / "a.md").read_text() == page, "a lesson that is wrong is not written")
lesson.write_text(LESSON.replace("ten on\n", "ten on\nfalse\n"))
expect(0, "", "a command that fails")
c.check("$ false\n(exit status 1)\n" in (c.root / "a.md").read_text(), "the exit status of a command that fails is shown")
c.end()
