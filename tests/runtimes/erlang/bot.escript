#!/usr/bin/env escript
%% -*- erlang -*-
%%! -noinput
%% Frames are what Erlang calls {packet, 4}: the port cuts them.

main(_) ->
    Port = open_port({fd, 0, 1}, [binary, eof, {packet, 4}]),
    play(Port).

play(Port) ->
    receive
        {Port, {data, Frame}} ->
            {Message, <<>>} = value(Frame),
            answer(Port, Message),
            play(Port);
        {Port, eof} ->
            halt(0)
    end.

answer(Port, #{<<"type">> := <<"hello">>}) ->
    send(Port, [{<<"type">>, <<"hello">>}, {<<"proto">>, 1}, {<<"name">>, <<"tiny-erlang">>}]);
answer(Port, #{<<"type">> := <<"decide">>, <<"req">> := Req, <<"legal">> := Legal}) ->
    send(Port, [{<<"type">>, <<"act">>}, {<<"req">>, Req}, {<<"choice">>, Req rem length(Legal)}]);
answer(_, _) ->
    ok.

send(Port, Pairs) ->
    Packed = << <<(packed(Key))/binary, (packed(Value))/binary>> || {Key, Value} <- Pairs >>,
    port_command(Port, <<8:4, (length(Pairs)):4, Packed/binary>>).

packed(Text) when is_binary(Text) -> <<16#D9, (byte_size(Text)), Text/binary>>;
packed(Number) -> <<16#CE, Number:32>>.

value(<<0:1, N:7, R/binary>>) -> {N, R};
value(<<7:3, N:5, R/binary>>) -> {N - 32, R};
value(<<16#CC, N, R/binary>>) -> {N, R};
value(<<16#CD, N:16, R/binary>>) -> {N, R};
value(<<16#CE, N:32, R/binary>>) -> {N, R};
value(<<16#CF, N:64, R/binary>>) -> {N, R};
value(<<16#D0, N:8/signed, R/binary>>) -> {N, R};
value(<<16#D1, N:16/signed, R/binary>>) -> {N, R};
value(<<16#D2, N:32/signed, R/binary>>) -> {N, R};
value(<<16#D3, N:64/signed, R/binary>>) -> {N, R};
value(<<16#C0, R/binary>>) -> {null, R};
value(<<16#C2, R/binary>>) -> {false, R};
value(<<16#C3, R/binary>>) -> {true, R};
value(<<5:3, S:5, T:S/binary, R/binary>>) -> {T, R};
value(<<16#D9, S, T:S/binary, R/binary>>) -> {T, R};
value(<<16#DA, S:16, T:S/binary, R/binary>>) -> {T, R};
value(<<16#DB, S:32, T:S/binary, R/binary>>) -> {T, R};
value(<<9:4, S:4, R/binary>>) -> many(S, R, []);
value(<<16#DC, S:16, R/binary>>) -> many(S, R, []);
value(<<16#DD, S:32, R/binary>>) -> many(S, R, []);
value(<<8:4, S:4, R/binary>>) -> pairs(S, R, #{});
value(<<16#DE, S:16, R/binary>>) -> pairs(S, R, #{});
value(<<16#DF, S:32, R/binary>>) -> pairs(S, R, #{}).

many(0, R, Found) -> {lists:reverse(Found), R};
many(S, R, Found) -> {One, More} = value(R), many(S - 1, More, [One | Found]).

pairs(0, R, Found) -> {Found, R};
pairs(S, R, Found) ->
    {Key, More} = value(R),
    {One, Rest} = value(More),
    pairs(S - 1, Rest, Found#{Key => One}).
