"""Derivations of secrets, with literal values so that they can never change
unnoticed.
"""

from khiva_arena.records.replay import seeds


def test_run_secret() -> None:
    assert (
        seeds.run_secret("demo").hex()
        == "01637a794d54027ab3b4842a4dde46d404cc14a4b3d1e51d46bc8819fc3969d2"
    )
    assert seeds.run_secret("00" * 31 + "fF") == bytes(31) + b"\xff"
    assert seeds.run_secret("00" * 31) != bytes(31)


def test_derived_values() -> None:
    run = bytes(range(32))
    assert (
        seeds.seed_secret(run, 0).hex()
        == "9ca2aac71ba2b2bc1431c114fbc3446ab849b9219aab671854b285289b4189fd"
    )
    assert seeds.seed_secret(run, 1) != seeds.seed_secret(run, 0)
    secret = seeds.seed_secret(run, 0)
    assert (
        seeds.commitment("m", secret)
        == "3c54dbbf86e6581e79ada51ed07487553195e04c50b23cdb37dda9fed1e185ed"
    )
    assert seeds.seat_number(secret, "m", 0) == 3778897291933214
    assert seeds.req_start(secret, "m") == 48713140


def test_ids_and_what_a_public_text_changes() -> None:
    run, event = bytes(range(32)), "0123456789abcdef"
    assert seeds.event_id("ab" * 32, "cd" * 32) == "8258b2cebc5bffcd"
    assert seeds.match_id(event, 7) == "c82ada50e79390ed"
    assert (
        seeds.schedule_key(event).hex()
        == "29a0210db07c7766459ff2d68e9c05d1db60a17e808bbd77cabcdd6ab9dfa094"
    )
    assert (
        seeds.schedule_key(event, "4 8 15").hex()
        == "87198b6a59f2a9012c7e3cb01661e8312a7ac0f7914057b0e6f2ae8d11cc5325"
    )
    assert (
        seeds.seed_secret(run, 0, "4 8 15").hex()
        == "e87ed595723eeaa0df03fc0ee8668e89831833e7123fbbdbcca0830dfe7fefbe"
    )
    assert (
        len(
            {
                seeds.seed_secret(run, k, text)
                for k in (0, 1)
                for text in (None, "", "4 8 15", "4 8 16")
            }
        )
        == 8
    )


def test_stages_have_secrets_of_their_own() -> None:
    run = bytes(range(32))
    assert (
        seeds.stage_secret(run, 1).hex()
        == "9cb8e08a80a72158006bd9b466fb1f5999048e4d5a3478b4060eb5b7e4119027"
    )
    assert len({run, *(seeds.stage_secret(run, stage) for stage in range(1, 20))}) == 20


def test_numbers_fit_53_bits_and_differ() -> None:
    numbers = {
        seeds.seat_number(bytes(32), match, seat) for match in ("a", "b") for seat in range(5)
    }
    assert len(numbers) == 10
    assert all(0 <= number < 2**53 for number in numbers)
    assert all(1 <= seeds.req_start(bytes([i]) * 32, "m") <= 2**31 for i in range(50))
