# Sums up the value in the view, so that a test can tell what the kit read.
use strict;
use warnings;
use lib '.';
use B ();
use KhivaKit;

use constant M => 2_147_483_647;

sub sum {
    my ($value) = @_;
    my $h;
    return 1 unless defined $value;
    if (ref $value eq 'ARRAY') {
        $h = 6;
        $h = ($h * 31 + sum($_)) % M for @$value;
    }
    elsif (ref $value eq 'HASH') {
        $h = 6;
        $h = ($h + sum("$_") * 31 + sum($value->{$_})) % M for keys %$value;
    }
    elsif (ref $value eq 'Data::MessagePack::Boolean') {
        $h = $value ? 3 : 2;
    }
    elsif (B::svref_2object(\$value)->FLAGS & B::SVf_POK) {
        $h = 5;
        utf8::encode($value);
        $h = ($h * 31 + $_) % M for unpack 'C*', $value;
    }
    else {
        $h = (4 * 31 + $value % M) % M;
    }
    return $h;
}

$SIG{USR1} = sub { };
play(
    'süm',
    sub {
        my ($decide) = @_;
        print "noise $decide->{req}\n";    # now it is a string, too
        $decide->{req} .= '';
        return sum($decide->{view}{value});
    }
);
