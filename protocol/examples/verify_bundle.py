"""Verify a bundle of khiva-arena with the standard library alone: python3 verify_bundle.py FILE [--deals]

Written from docs/files.md and section 9 of SPEC.md. It plays no choices through the rules, draws no schedule
and fits no ratings: `khiva-arena verify FILE` does. Exit code 0, or 1 if it is not sound."""

import gzip
import json
import sys
from base64 import b64decode
from collections import Counter, defaultdict
from hashlib import sha256


def need(true, what):
    if not true:
        sys.exit(f"not sound: {what}"[:300])


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def digest(*parts):
    return sha256(b"".join(part.encode() if isinstance(part, str) else part for part in parts))


def khiva_hands(secret, seats):
    """The first hands of a seed by seat, from a stream of khiva-stream-1: cards are 10 * colour + value."""
    key = digest("khiva-stream-1\0", secret, "\0\0\0\5khiva\0\0\0\4deal\0\0\0\x011").digest()
    blocks = (digest(key, i.to_bytes(8, "big")).digest() for i in range(99))
    stream = (int.from_bytes(block[at : at + 8], "big") for block in blocks for at in (0, 8, 16, 24))
    cards = [10 * colour + value for colour in range(5) for value in range(1, 6)]
    for i in range(24, 0, -1):
        j = next(x for x in stream if x < 2**64 - 2**64 % (i + 1)) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return [cards[seat * each : (seat + 1) * each] for each in [8 if seats == 2 else 5] for seat in range(seats)]


def lines_of(path):
    with gzip.open(path) as file:
        texts = file.read().splitlines(keepends=True)
    need(all(canonical(json.loads(text)) + b"\n" == text for text in texts), "a line is not canonical")
    first, *lines, last = map(json.loads, texts)
    need(first["kind"] == "khiva-bundle" and first["format"] in (1, 2), "not a bundle of format 1 or 2")
    kinds = Counter(line["kind"] for line in lines)
    sums = {"events": kinds["event"], "matches": kinds["match"], "sha256": digest(*texts[:-1]).hexdigest()}
    need(last == {"kind": "end", "lines": len(texts) - 1, **sums}, "the last line does not fit those before it")
    return lines


def check_event(event, modules, reveals, voids, matches, over):
    what, secrets = event["definition"], {line["seed"]: bytes.fromhex(line["secret"]) for line in reveals}
    run, defined = secrets.pop(-1), digest(canonical(what)).hexdigest()
    bound_to = event["id"] if event["id"] == defined[:16] else defined  # the former as version 0.1.0 had it
    of_both = digest("khiva-event-2\0", defined, event["commitment"]).hexdigest()[:16]
    need(event["id"] in (bound_to, of_both), "the event's id is not the hash of its definition and commitment")
    need(digest("khiva-commit-1\0", bound_to, run).hexdigest() == event["commitment"], "the run's secret opens no commitment")
    need(what["seed"] in (None, digest("khiva-event-seed-1\0", run).hexdigest()), "the run's secret is not of the seed given")
    mixed = digest("khiva-beacon-1\0", event["public"]).digest() if "public" in event else b""
    for k, secret in secrets.items():
        follows = digest("khiva-seed-2\0" if mixed else "khiva-seed-1\0", run, mixed, k.to_bytes(8, "big")).digest()
        need(secret == follows, f"the secret of seed {k} does not follow from the run's")
    who = [(bot["name"], bot["identity"]) for bot in what["bots"]]
    need([(bot["name"], bot["identity"]) for bot in event["bots"]] == who, "the bots are not those of the definition")
    for bot in what["bots"]:
        two = [bytes.fromhex(bot[key]) for key in ("module", "payload") if key in bot]
        need(not two or bot["identity"] == digest("khiva-payload-1\0", *two).hexdigest(), "an identity is not of both files")
    files = {bot.get(key) for bot in what["bots"] for key in ("identity", "module", "payload")}
    whole = {part["identity"]: [b64decode(p["data"]) for p in modules if p["identity"] == part["identity"]] for part in modules}
    need(all(digest(*data).hexdigest() == name in files for name, data in whole.items()), "a file is no bot's, or is another")
    ordinals, batch = [match["ordinal"] for match in matches], what.get("batch", {"tables": []})["tables"]
    left = {seed * len(batch) + table for seed, table in over.get("set_aside", []) if batch}
    planned = len(batch) * what["seats"] * what["seeds"] or len(matches)
    need(ordinals == [o for o in range(planned) if o in set(ordinals) or o // what["seats"] not in left], "matches are missing")
    tries, counted = [(void["ordinal"], void["attempt"]) for void in voids], Counter(void["ordinal"] for void in voids)
    need(tries == [(o, a) for o in sorted(counted) for a in range(1, counted[o] + 1)], "void attempts are not counted from 1")
    bots, seats, played, order = defaultdict(Counter), what["seats"], [], []
    for match in matches:
        ordinal, record, head = match["ordinal"], match["record"], match["record"]["header"]
        opened = [k for k, s in secrets.items() if digest("khiva-commit-1\0", head["match"], s).hexdigest() == head["commit"]]
        need(opened, f"match {ordinal}: no secret of a seed opens its commit")
        played += opened
        check_record(event, ordinal, record, secrets[opened[0]], who)
        sits = [seat[1] for seat in head["seats"]]
        order = [who[bot][1] for bot in batch[ordinal // seats % len(batch)]] if batch else order if ordinal % seats else sits
        need(sits == order[ordinal % seats :] + order[: ordinal % seats], f"match {ordinal}: not this rotation of its table")
        if ordinal // seats not in left:
            count(bots, sits, record, counted[ordinal])
    often = {ordinal // seats for ordinal in counted if counted[ordinal] >= 4 and ordinal not in ordinals}
    need(left <= often, "a table is set aside that has no match which was void four times")
    need(set(range(planned)) >= set(counted) and planned % seats == 0, "a void is of no match, or a table lacks one")
    need(played == sorted(played) and set(played) == set(secrets), "the seeds that were played are not those revealed, in order")
    chain = digest("khiva-run-digest-1\0", *(match["record"]["digest"] for match in matches)).hexdigest()
    need(over["digest"] == chain, "the run digest is not that of the matches")
    return secrets, bots, len(matches) - sum(ordinal // seats in left for ordinal in ordinals)


def check_record(event, ordinal, record, secret, who):
    header, what, where, in_ticks = record["header"], event["definition"], f"match {ordinal}", "meter" in event["definition"]
    need((header["format"], len(header["seats"])) == (1 + in_ticks, what["seats"]), f"{where}: another format or number of seats")
    need(header["match"] == digest(f"khiva-match-1\0{event['id']}\0{ordinal}").hexdigest()[:16], f"{where}'s id is not the one")
    for key in ("game", "rules_version", "rules", "time", "policy", "isolation", "clock", "meter"):
        need(header.get(key) == what.get(key), f"{where}: its {key} is not that of the definition")
    for seat, (bot, identity, number) in enumerate(header["seats"]):
        block = digest("khiva-seat-1\0", secret, seat.to_bytes(4, "big"), header["match"]).digest()
        need((bot, identity) in who, f"{where}: seat {seat} is none of the bots")
        need(number == int.from_bytes(block[:8], "big") >> 11, f"{where}: seat {seat}'s number does not follow from its secret")
    link = digest(f"khiva-record-{1 + in_ticks}\0", canonical(header)).digest()
    for choice in (choice for step in record["steps"] for choice in step):
        link = digest(link, canonical(choice)).digest()
    result = {key: record[key] for key in ("verdicts", "forfeited_at", "ranks", "scores", "reason", *["ticks"] * in_ticks)}
    need(digest(link, canonical(result)).hexdigest() == record["digest"], f"{where}: its chain ends in another digest")
    need(record.keys() == {"header", "steps", "digest", *result}, f"{where}: there is more in it than a record has")


def count(bots, sits, record, voids):
    for bot in set(sits):
        bots[bot].update({"matches": 1, "voids": voids})
    at = [{n: w for n, step in enumerate(record["steps"], 1) for s, _, w in step if s == seat and w} for seat in range(len(sits))]
    for bot, rank, verdict, out, why in zip(sits, record["ranks"], record["verdicts"], record["forfeited_at"], at, strict=True):
        bots[bot].update([rank, *(word for word in why.values() if word != "forfeited")])
        bots[bot][verdict] += out is not None and out not in why


def check_league(links, events):
    """Check a league's chain: links, roster, and that each batch seats its active bots as a draw may. It is not drawn again."""
    last, roster, open_, batches, terms, waits, ended = "0" * 64, {}, None, 0, {}, Counter(), "0" * 64
    for number, link in enumerate(links):
        where, kind = f"link {number}", link["kind"]
        need(link["number"] == number and link["before"] == last, f"{where} does not follow from the one before it")
        need((kind == "league") == (number == 0) == (link.get("format") == 2), f"{where}: a league begins once, in format 2")
        terms = link.get("terms", terms)
        last = digest("khiva-link-1\0", canonical(link)).hexdigest()
        if kind == "league":
            for bot in link["anchors"]:
                roster[bot["identity"]] = {**bot, "family": bot["identity"], "author": "", "state": "active", "first": 0}
        elif kind == "enter":
            need(link["identity"] not in roster, f"{where}: its bot was entered before")
            for bot in link["replaces"]:
                need(roster[bot]["family"] == link["family"], f"{where}: it replaces a bot of another family")
                roster[bot]["state"] = "retired"
            roster[link["identity"]] = {**link, "state": "active", "first": batches + 1}
        elif kind == "change":
            bot = roster[link["identity"]]
            need(bot["author"] and bot["state"] != "retired", f"{where}: it changes an anchor, or a bot that is retired")
            bot["state"] = link["state"]
        elif kind == "batch":
            batches += 1
            need(open_ is None and link["batch"] == batches, f"{where}: batch {batches} would be next, once all before are over")
            active = sorted((b for b in roster.values() if b["state"] == "active"), key=lambda b: (b["first"], b["identity"]))
            if link["event"] in events:
                check_batch(where, link, terms, active, events[link["event"]][2], ended, waits)
            open_ = link
        elif kind == "over":
            need(open_ and open_["event"] == link["event"], f"{where}: it ends a batch that was not begun")
            over = events[link["event"]][3] if link["event"] in events else {}
            need(over.get("digest", link["run_digest"]) == link["run_digest"], f"{where}: the batch has another run digest")
            need(not over or over.get("set_aside", []) == link["set_aside"], f"{where}: the batch sets other tables aside")
            mixed = events[link["event"]][2].get("public") if over else link["public"]
            need(link["public"] == mixed and (mixed is None) == (open_["round"] is None), f"{where}: another text was mixed in")
            open_, ended = None, link["run_digest"]
    drawn = [link["event"] for link in links if link["kind"] == "batch"]
    here = {name for name, event in events.items() if links or "batch" in event[2]["definition"]}
    need(here == set(drawn[: len(here)]), "a batch is missing before others, or an event has no link")
    if links:
        print(f"league {links[0]['league']}: {len(links)} links, {batches} batches; the newest is link {len(links) - 1} {last}")


def check_batch(where, link, terms, active, event, ended, waits):
    what = event["definition"]
    batch, tables, bots, seats = what["batch"], what["batch"]["tables"], what["bots"], terms["seats"]
    families, authors = ([*dict.fromkeys(bot[key] for bot in active)] for key in ("family", "author"))
    groups = [[bot["identity"], families.index(bot["family"]), authors.index(bot["author"])] for bot in active]
    place = (link["batch"], ended, digest(canonical(groups)).hexdigest())
    need((batch["number"], batch["before"], batch["roster"]) == place, f"{where}: its batch is of another place")
    need(link["definition"] == digest(canonical(what)).hexdigest(), f"{where}: its batch has another definition")
    need(link["commitment"] == event["commitment"], f"{where}: its batch has another commitment")
    who = [[b["identity"], *(parts := b.get("parts", []))[:1], b["name"], *parts[1:]] for b in active]
    need([[b[key] for key in sorted({*b} - {"sources"})] for b in bots] == who, f"{where}: its bots are not the active ones")
    plain = {"format": "league", "seats": seats, "seeds": terms["seeds"], "copies": 1, "lineups": None, "seed": None}
    plain |= {**terms["conditions"], **{key: what[key] for key in ("anchor", "bots", "runtimes", "batch") if key in what}}
    need(what == plain, f"{where}: its batch has other conditions")
    sits, authors = Counter(bot for table in tables for bot in table), Counter()
    for table in tables:
        need(len({active[bot]["family"] for bot in table}) == seats, f"{where}: versions of one bot meet")
        authors.update(active[bot]["author"] for bot in table if active[bot]["author"])
    for position, bot in enumerate(active):
        waits[bot["identity"]] = 0 if sits[position] else waits[bot["identity"]] + 1
        need(waits[bot["identity"]] < 2 and (sits[position] or terms["most_tables"]), f"{where}: {bot['name']} has no seat")
        need(bot["author"] or sits[position], f"{where}: anchor {bot['name']} does not play")
    apart = all(len({active[bot]["author"] or bot for bot in table}) == seats for table in tables)
    forced = max(authors.values(), default=0) > len(tables) or not terms["authors_apart"]
    need(apart or forced, f"{where}: bots of one author meet, though they need not")


def main(path, deals):
    events, parts, tables, links = {}, {}, [], []
    for line in lines_of(path):
        if line["kind"] == "event":
            parts = {"event": line} | {kind: [] for kind in ("module", "reveal", "void", "match")}
        elif line["kind"] == "over":
            event = parts["event"]
            secrets, bots, rated = check_event(*parts.values(), line)
            need(event["id"] not in events, "an event comes twice")
            said = f"commitment {event['commitment']}, public text {event.get('public')!a}"
            print(f"event {event['id']}: {len(parts['match'])} records are sound; {said}")
            events[event["id"]], parts = (bots, rated, event, line), {}
            for k, secret in secrets.items() if deals and event["definition"]["game"] == "khiva" else ():
                print(f"  seed {k}: hands {khiva_hands(secret, event['definition']['seats'])}")
        elif line["kind"] == "standings":
            tables.append(line["table"])
        elif line["kind"] == "link" and not events and not parts:
            links.append(line["link"])
        else:
            parts["module" if line["kind"] == "payload" else line["kind"]].append(line)
    need(sorted(event for table in tables for event in table["events"]) == sorted(events), "an event is in no table, or in two")
    check_league(links, events)
    for table in tables:
        need(table["matches"] == sum(events[event][1] for event in table["events"]), "a table counts other matches")
        for row in table["rows"]:
            total = sum((events[event][0][row["bot"]] for event in table["events"]), Counter())
            said = {"matches": row["matches"], "voids": row["voids"], **dict(enumerate(row["finishes"], 1)), **row["faults"]}
            need(Counter(said) == total, f"a table counts otherwise for {row['name']!a}")


if __name__ == "__main__":
    try:
        main(sys.argv[1], "--deals" in sys.argv)
    except Exception as error:  # whatever a forged file brings
        need(False, f"{type(error).__name__}: {error!s:.200}")
