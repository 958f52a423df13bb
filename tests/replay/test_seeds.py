"""Derivations of secrets, with literal values so that they can never change unnoticed."""

from khiva_arena.replay import seeds


def test_run_secret() -> None:
    assert seeds.run_secret("demo").hex() == "01637a794d54027ab3b4842a4dde46d404cc14a4b3d1e51d46bc8819fc3969d2"
    assert seeds.run_secret("00" * 31 + "fF") == bytes(31) + b"\xff"
    assert seeds.run_secret("00" * 31) != bytes(31)


def test_derived_values() -> None:
    run = bytes(range(32))
    assert seeds.seed_secret(run, 0).hex() == "9ca2aac71ba2b2bc1431c114fbc3446ab849b9219aab671854b285289b4189fd"
    assert seeds.seed_secret(run, 1) != seeds.seed_secret(run, 0)
    secret = seeds.seed_secret(run, 0)
    assert seeds.commitment("m", secret) == "3c54dbbf86e6581e79ada51ed07487553195e04c50b23cdb37dda9fed1e185ed"
    assert seeds.seat_number(secret, "m", 0) == 3778897291933214
    assert seeds.req_start(secret, "m") == 48713140


def test_stages_have_secrets_of_their_own() -> None:
    run = bytes(range(32))
    assert seeds.stage_secret(run, 1).hex() == "9cb8e08a80a72158006bd9b466fb1f5999048e4d5a3478b4060eb5b7e4119027"
    assert len({run, *(seeds.stage_secret(run, stage) for stage in range(1, 20))}) == 20


def test_numbers_fit_53_bits_and_differ() -> None:
    numbers = {seeds.seat_number(bytes(32), match, seat) for match in ("a", "b") for seat in range(5)}
    assert len(numbers) == 10
    assert all(0 <= number < 2**53 for number in numbers)
    assert all(1 <= seeds.req_start(bytes([i]) * 32, "m") <= 2**31 for i in range(50))
