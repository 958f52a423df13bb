defmodule Tiny do
  # Frames are what Erlang calls {:packet, 4}: the port cuts them.
  def play(port) do
    receive do
      {^port, {:data, frame}} ->
        {message, ""} = value(frame)
        answer(port, message)
        play(port)

      {^port, :eof} ->
        System.halt(0)
    end
  end

  defp answer(port, %{"type" => "hello"}),
    do: send_map(port, [{"type", "hello"}, {"proto", 1}, {"name", "tiny-elixir"}])

  defp answer(port, %{"type" => "decide", "req" => req, "legal" => legal}),
    do: send_map(port, [{"type", "act"}, {"req", req}, {"choice", rem(req, length(legal))}])

  defp answer(_, _), do: :ok

  defp send_map(port, pairs) do
    packed = for {key, value} <- pairs, into: "", do: pack(key) <> pack(value)
    Port.command(port, <<8::4, length(pairs)::4, packed::binary>>)
  end

  defp pack(text) when is_binary(text), do: <<0xD9, byte_size(text), text::binary>>
  defp pack(number), do: <<0xCE, number::32>>

  defp value(<<0::1, n::7, r::binary>>), do: {n, r}
  defp value(<<7::3, n::5, r::binary>>), do: {n - 32, r}
  defp value(<<0xCC, n, r::binary>>), do: {n, r}
  defp value(<<0xCD, n::16, r::binary>>), do: {n, r}
  defp value(<<0xCE, n::32, r::binary>>), do: {n, r}
  defp value(<<0xCF, n::64, r::binary>>), do: {n, r}
  defp value(<<0xD0, n::signed-8, r::binary>>), do: {n, r}
  defp value(<<0xD1, n::signed-16, r::binary>>), do: {n, r}
  defp value(<<0xD2, n::signed-32, r::binary>>), do: {n, r}
  defp value(<<0xD3, n::signed-64, r::binary>>), do: {n, r}
  defp value(<<0xC0, r::binary>>), do: {nil, r}
  defp value(<<0xC2, r::binary>>), do: {false, r}
  defp value(<<0xC3, r::binary>>), do: {true, r}
  defp value(<<5::3, s::5, t::binary-size(s), r::binary>>), do: {t, r}
  defp value(<<0xD9, s, t::binary-size(s), r::binary>>), do: {t, r}
  defp value(<<0xDA, s::16, t::binary-size(s), r::binary>>), do: {t, r}
  defp value(<<0xDB, s::32, t::binary-size(s), r::binary>>), do: {t, r}
  defp value(<<9::4, s::4, r::binary>>), do: many(s, r, [])
  defp value(<<0xDC, s::16, r::binary>>), do: many(s, r, [])
  defp value(<<0xDD, s::32, r::binary>>), do: many(s, r, [])
  defp value(<<8::4, s::4, r::binary>>), do: pairs(s, r, %{})
  defp value(<<0xDE, s::16, r::binary>>), do: pairs(s, r, %{})
  defp value(<<0xDF, s::32, r::binary>>), do: pairs(s, r, %{})

  defp many(0, r, found), do: {Enum.reverse(found), r}

  defp many(s, r, found) do
    {one, more} = value(r)
    many(s - 1, more, [one | found])
  end

  defp pairs(0, r, found), do: {found, r}

  defp pairs(s, r, found) do
    {key, more} = value(r)
    {one, rest} = value(more)
    pairs(s - 1, rest, Map.put(found, key, one))
  end
end

Tiny.play(Port.open({:fd, 0, 1}, [:binary, :eof, {:packet, 4}]))
