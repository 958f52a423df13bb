// MessagePack, the part that the protocol uses: nil, booleans, whole numbers, strings, lists, maps. And chance.
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

public static class MsgPack
{
    // The one value that the bytes hold: null, bool, long, string, List<object> or Dictionary<string, object>.
    public static object Decode(byte[] bytes)
    {
        var at = 0;
        var whole = Value(bytes, ref at);
        if (at != bytes.Length) throw new InvalidDataException("bytes behind the message");
        return whole;
    }

    static object Value(byte[] bytes, ref int at)
    {
        var tag = (int)Number(bytes, ref at, 1);
        if (tag <= 0x7f) return (long)tag;
        if (tag <= 0x8f) return Map(bytes, ref at, tag - 0x80);
        if (tag <= 0x9f) return List(bytes, ref at, tag - 0x90);
        if (tag <= 0xbf) return Text(bytes, ref at, tag - 0xa0);
        if (tag >= 0xe0) return (long)tag - 0x100;
        switch (tag)
        {
            case 0xc0: return null;
            case 0xc2: return false;
            case 0xc3: return true;
            case 0xcc: case 0xcd: case 0xce: case 0xcf: // the protocol stays within 2^53 - 1
                return Number(bytes, ref at, 1 << (tag - 0xcc));
            case 0xd0: return (long)(sbyte)Number(bytes, ref at, 1);
            case 0xd1: return (long)(short)Number(bytes, ref at, 2);
            case 0xd2: return (long)(int)Number(bytes, ref at, 4);
            case 0xd3: return Number(bytes, ref at, 8);
            case 0xd9: case 0xda: case 0xdb: return Text(bytes, ref at, Number(bytes, ref at, 1 << (tag - 0xd9)));
            case 0xdc: case 0xdd: return List(bytes, ref at, Number(bytes, ref at, 2 << (tag - 0xdc)));
            case 0xde: case 0xdf: return Map(bytes, ref at, Number(bytes, ref at, 2 << (tag - 0xde)));
            default: throw new InvalidDataException("a value of type " + tag + ", which the protocol does not have");
        }
    }

    // Where `size` bytes begin, which are then read.
    static int Take(byte[] bytes, ref int at, long size)
    {
        if (at + size > bytes.Length) throw new InvalidDataException("a message that ends inside a value");
        at += (int)size;
        return at - (int)size;
    }

    static long Number(byte[] bytes, ref int at, int size)
    {
        long number = 0;
        for (var i = Take(bytes, ref at, size); i < at; i++) number = number << 8 | bytes[i];
        return number;
    }

    static string Text(byte[] bytes, ref int at, long size)
    {
        var from = Take(bytes, ref at, size);
        return Encoding.UTF8.GetString(bytes, from, (int)size);
    }

    static List<object> List(byte[] bytes, ref int at, long size)
    {
        var items = new List<object>();
        for (; size > 0; size--) items.Add(Value(bytes, ref at));
        return items;
    }

    static Dictionary<string, object> Map(byte[] bytes, ref int at, long size)
    {
        var pairs = new Dictionary<string, object>();
        for (; size > 0; size--)
        {
            var key = (string)Value(bytes, ref at);
            pairs[key] = Value(bytes, ref at);
        }
        return pairs;
    }

    // A map, given as key, value, key, value: strings and whole numbers are all that a bot has to say.
    public static byte[] Encode(params object[] message)
    {
        var bytes = new List<byte> { (byte)(0x80 + message.Length / 2) };
        foreach (var item in message)
        {
            if (item is string text)
            {
                var letters = Encoding.UTF8.GetBytes(text);
                bytes.AddRange(new byte[] { 0xda, (byte)(letters.Length >> 8), (byte)letters.Length }); // str16
                bytes.AddRange(letters);
            }
            else
            {
                bytes.Add(0xd3); // int64
                for (var shift = 56; shift >= 0; shift -= 8) bytes.Add((byte)((long)item >> shift));
            }
        }
        return bytes.ToArray();
    }
}

// Chance that a replay repeats: equal seeds give equal numbers (splitmix64).
public sealed class Lottery
{
    ulong state;

    public Lottery(long seed)
    {
        state = (ulong)seed;
    }

    // A number from 0 to n - 1, each equally likely.
    public int Below(int n)
    {
        var many = (ulong)n;
        var tail = (ulong.MaxValue % many + 1) % many; // of all 2^64 numbers the last so many would favour the small ones
        for (;;)
        {
            unchecked
            {
                state += 0x9e3779b97f4a7c15;
                var z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
                z = (z ^ z >> 27) * 0x94d049bb133111eb;
                z ^= z >> 31;
                if (z <= ulong.MaxValue - tail) return (int)(z % many);
            }
        }
    }
}
