<?php

// Any legal choice, each equally likely. To make it yours: change the name, and let $choose give the index you want.

declare(strict_types=1);

require __DIR__ . '/khiva_kit.php';

$choose = function (array $decide, array $match): int {
    static $lottery;
    $lottery ??= new Khiva\Lottery($match['seed']);
    return $lottery->below(count($decide['legal']));
};

Khiva\play("random-php", $choose, version: "1");
