package KhivaKit;

# Wire protocol 1 for bots in Perl. A bot is one call:
#
#   use lib '.';
#   use KhivaKit;
#   play('my-bot', sub { my ($decide, $match) = @_; return 0 });    # an index into @{ $decide->{legal} }
#
# $match is the arbiter's hello: game, rules, seat, seats, seed, time. $decide is one request: kind, view, events, legal,
# turn_ms, bank_ms. print and say go to stderr, so they can never break the conversation.

use strict;
use warnings;
use Data::MessagePack;
use Exporter 'import';
use IO::Handle;

our @EXPORT = qw(play note);

use constant FRAME_MOST_FROM_ARBITER => 1_048_576;

# ->utf8 or strings would be read as bytes, and sent as byte strings, which the arbiter refuses.
my $codec = Data::MessagePack->new->utf8->canonical;

# Play one match: shake hands, answer every decide with $choose->($decide, $match), return when the input ends.
sub play {
    my ($name, $choose, $version) = @_;
    my ($source, $sink) = guarded_pipes();
    my $match = {};
    while (my $message = read_frame($source)) {
        my $type = $message->{type} // '';
        if ($type eq 'hello') {
            $match = $message;
            my @protos = @{ $match->{protos} // [] };
            unless (grep { $_ == 1 } @protos) {
                note("the arbiter speaks protocols @protos, this kit speaks 1");
                return;
            }
            my %hello = (type => 'hello', proto => 1, name => text($name));
            $hello{version} = text($version) if length($version // '');
            write_frame($sink, \%hello);
        }
        elsif ($type eq 'decide') {
            my $req    = $message->{req};    # before the bot can change it, be it by using it as a string
            my $choice = whole(scalar $choose->($message, $match));
            write_frame($sink, { type => 'act', req => $req, choice => $choice });
        }
        elsif ($type eq 'fault') {
            my ($code, $detail, $strikes) = map { $_ // '' } @$message{qw(code detail strikes)};
            note("fault: $code: $detail (strikes: $strikes)");
        }
        # After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
    }
    return;
}

# Say something to the people who run the bot, on stderr.
sub note {
    print STDERR join(' ', map { text($_) } @_), "\n";
    return;
}

# Numbers and strings are one thing to Perl, and two to the codec: what is sent as a number is made one here.
sub whole {
    my $choice = shift // 'undef';
    $choice = '[' . join(', ', @{$choice}) . ']' if ref $choice eq 'ARRAY';
    die "choose returned $choice, want an index into legal; int() makes a whole number\n" unless $choice =~ /\A-?[0-9]+\z/;
    use integer;
    return 0 + $choice;
}

# So are bytes and letters: without "use utf8" a literal is the bytes that stand in the source.
sub text {
    my ($text) = @_;
    return 'undef' unless defined $text;
    utf8::decode($text) unless utf8::is_utf8($text);
    utf8::upgrade($text);
    return $text;
}

# The next message, or undef at the end of input.
sub read_frame {
    my ($source) = @_;
    my $header = read_all($source, 4) // return;
    my $size = unpack 'N', $header;
    die "a frame of $size bytes\n" if $size < 1 || $size > FRAME_MOST_FROM_ARBITER;
    my $payload = read_all($source, $size) // return;
    return $codec->unpack($payload);
}

# Exactly $size bytes, or undef at the end of input.
sub read_all {
    my ($source, $size) = @_;
    my $got = read($source, my $bytes, $size);
    die "reading: $!\n" unless defined $got;
    return $got == $size ? $bytes : undef;
}

# Send one message, at once.
sub write_frame {
    my ($sink, $message) = @_;
    my $payload = $codec->pack($message);
    print {$sink} pack('N', length $payload), $payload or die "writing: $!\n";
    $sink->flush or die "writing: $!\n";
    return;
}

# The conversation on private descriptors. Whatever this process or a child of it prints goes to stderr instead.
sub guarded_pipes {
    open my $source, '<&', \*STDIN  or die "stdin: $!\n";
    open my $sink,   '>&', \*STDOUT or die "stdout: $!\n";
    open STDOUT, '>&', \*STDERR or die "stdout: $!\n";
    binmode $_ for $source, $sink;
    binmode $_, ':utf8' for \*STDOUT, \*STDERR;
    STDOUT->autoflush;
    return ($source, $sink);
}

# Chance that a replay repeats: equal seeds give equal numbers (splitmix64), the same in every kit but Python's.
package KhivaKit::Lottery;

no warnings 'portable';    # about numbers of 64 bits

sub new {
    my ($class, $seed) = @_;
    return bless { state => $seed }, $class;
}

# A number from 0 to $n - 1, each equally likely.
sub below {
    my ($self, $n) = @_;
    die "below($n): nothing to draw from\n" if $n < 1;
    my $rest = (~0 % $n + 1) % $n;    # 2**64 % $n
    while (1) {
        my $z = $self->{state} = added($self->{state}, 0x9e3779b97f4a7c15);
        $z = multiplied($z ^ $z >> 30, 0xbf58476d1ce4e5b9);
        $z = multiplied($z ^ $z >> 27, 0x94d049bb133111eb);
        $z ^= $z >> 31;

        # Numbers beyond the last whole multiple of $n would favour the small ones.
        return $z % $n if $z <= ~0 - $rest;
    }
}

# Modulo 2**64, where Perl's own + and * would go over to floats.
sub added      { use integer; return $_[0] + $_[1] }
sub multiplied { use integer; return $_[0] * $_[1] }

1;
