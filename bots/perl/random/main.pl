# Any legal choice, each equally likely. To make it yours: change the name, and let $choose return the index you want.
use strict;
use warnings;
use lib '.';
use KhivaKit;

my $lottery;

my $choose = sub {
    my ($decide, $match) = @_;
    $lottery //= KhivaKit::Lottery->new($match->{seed});
    return $lottery->below(scalar @{ $decide->{legal} });
};

play("random-perl", $choose, "1");
