<?php

// Wire protocol 1 for bots in PHP. A bot is one call:
//
//   require __DIR__ . '/khiva_kit.php';
//   Khiva\play('my-bot', fn (array $decide, array $match): int => 0); // an index into $decide['legal']
//
// $match is the arbiter's hello: game, rules, seat, seats, seed, time. $decide is one request: kind, view, events, legal,
// turn_ms, bank_ms. echo and print_r go to stderr, so they can never break the conversation.

declare(strict_types=1);

namespace Khiva;

const FRAME_MOST_FROM_ARBITER = 1048576;

// Play one match: shake hands, answer every decide with $choose($decide, $match), return when the input ends.
function play(string $name, callable $choose, string $version = ''): void
{
    ini_set('display_errors', 'stderr');
    ini_set('log_errors', '0'); // or each of them would be said twice
    ini_set('msgpack.php_only', '0'); // or an empty map would be an object, and all others arrays
    [$source, $sink] = guarded_pipes();
    $match = [];
    while (($message = read_frame($source)) !== null) {
        switch ($message['type'] ?? null) {
            case 'hello':
                $match = $message;
                if (!in_array(1, $match['protos'] ?? [], true)) {
                    note('the arbiter speaks protocols ' . json_encode($match['protos'] ?? null) . ', this kit speaks 1');
                    return;
                }
                $hello = ['type' => 'hello', 'proto' => 1, 'name' => $name];
                write_frame($sink, $version === '' ? $hello : $hello + ['version' => $version]);
                break;
            case 'decide':
                $req = $message['req']; // before the bot can change it
                $choice = $choose($message, $match);
                if (!is_int($choice)) {
                    $shown = json_encode($choice) ?: gettype($choice);
                    throw new \TypeError("choose returned $shown, want an index into legal; intdiv() gives an int");
                }
                write_frame($sink, ['type' => 'act', 'req' => $req, 'choice' => $choice]);
                break;
            case 'fault':
                note("fault: {$message['code']}: {$message['detail']} (strikes: {$message['strikes']})");
        }
        // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
    }
}

// Say something to the people who run the bot, on stderr.
function note(mixed ...$words): void
{
    fwrite(STDERR, implode(' ', array_map(fn ($word) => is_string($word) ? $word : json_encode($word), $words)) . "\n");
}

// Chance that a replay repeats: equal seeds give equal numbers (splitmix64), the same in every kit but Python's.
// A number of 64 bits is held as two halves of 32, since a product or sum beyond PHP_INT_MAX would become a float.
final class Lottery
{
    private const HALF = 0xffffffff;
    private array $state;

    public function __construct(int $seed)
    {
        $this->state = [$seed >> 32 & self::HALF, $seed & self::HALF];
    }

    // A number from 0 to $n - 1, each equally likely. $n is from 1 to 2**31.
    public function below(int $n): int
    {
        if ($n < 1 || $n > 2 ** 31) {
            throw new \RangeException("below($n): not from 1 to 2**31");
        }
        $rest = (2 ** 32 % $n) ** 2 % $n; // 2**64 % n
        do {
            [$high, $low] = $this->next();
            // Numbers beyond the last whole multiple of n would favour the small ones.
        } while ($high === self::HALF && $low >= 2 ** 32 - $rest);
        return (($high % $n << 32) + $low) % $n;
    }

    private function next(): array
    {
        $low = $this->state[1] + 0x7f4a7c15;
        $this->state = [$this->state[0] + 0x9e3779b9 + ($low >> 32) & self::HALF, $low & self::HALF];
        $z = self::times(self::mixed($this->state, 30), 0xbf58476d, 0x1ce4e5b9);
        $z = self::times(self::mixed($z, 27), 0x94d049bb, 0x133111eb);
        return self::mixed($z, 31);
    }

    // z ^ z >> bits, for fewer than 32 bits.
    private static function mixed(array $z, int $bits): array
    {
        $shifted = ($z[0] << 32 - $bits & self::HALF) | $z[1] >> $bits;
        return [$z[0] ^ $z[0] >> $bits, $z[1] ^ $shifted];
    }

    // z times a constant, modulo 2**64. No product here is of more than 32 and 16 bits.
    private static function times(array $z, int $high, int $low): array
    {
        $first = $z[1] * ($low & 0xffff);
        $second = $z[1] * ($low >> 16) + ($first >> 16);
        $over = ($second >> 16) + self::low_half($z[1], $high) + self::low_half($z[0], $low);
        return [$over & self::HALF, ($second << 16 & self::HALF) | ($first & 0xffff)];
    }

    private static function low_half(int $a, int $b): int
    {
        return $a * ($b & 0xffff) + (($a * ($b >> 16) & 0xffff) << 16) & self::HALF;
    }
}

// Exactly this many bytes; fewer at the end of input. A signal ends a read, but not the input.
function read_all($source, int $size): string
{
    for ($bytes = ''; strlen($bytes) < $size && !feof($source);) {
        $bytes .= stream_get_contents($source, $size - strlen($bytes));
    }
    return $bytes;
}

// The next message, or null at the end of input.
function read_frame($source): ?array
{
    $header = read_all($source, 4);
    if (strlen($header) < 4) {
        return null;
    }
    $size = unpack('N', $header)[1];
    $size >= 1 && $size <= FRAME_MOST_FROM_ARBITER or throw new \RangeException("a frame of $size bytes");
    $payload = read_all($source, $size);
    set_error_handler(fn (int $level, string $text) => throw new \UnexpectedValueException($text)); // the codec only warns
    try {
        return strlen($payload) < $size ? null : msgpack_unpack($payload);
    } finally {
        restore_error_handler();
    }
}

// Send one message, at once.
function write_frame($sink, array $message): void
{
    $payload = msgpack_pack($message);
    $frame = pack('N', strlen($payload)) . $payload;
    fwrite($sink, $frame) === strlen($frame) or throw new \RuntimeException('the arbiter does not read');
}

// The conversation on private descriptors. Whatever this process or a child of it prints goes to stderr instead: closing
// STDOUT frees descriptor 1, and the duplicate of 2 that is opened next takes its place. PHP cannot close the private ones in
// what it starts: wait for that, or it keeps them open.
function guarded_pipes(): array
{
    static $in_place_of_stdout;
    $pipes = [fopen('php://fd/0', 'rb'), fopen('php://fd/1', 'wb')];
    fclose(STDOUT);
    $in_place_of_stdout = fopen('php://fd/2', 'wb');
    return $pipes;
}
