// Wire protocol 1 for bots in C#, with MsgPack.cs beside it and no package. A bot is one call:
//
//     KhivaKit.Play("my-bot", (decide, match) => 0, "1"); // an index into decide.Legal
//
// What the arbiter sends becomes null, bool, long, string, List<object> and Dictionary<string, object>. Whatever this
// process or a child of it prints goes to stderr, so that it cannot break the conversation.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;

// The arbiter's greeting, the same all match long.
public sealed class Match
{
    public string Game;
    public Dictionary<string, object> Rules, Time;
    public int Seat, Seats;
    public long Seed;
}

// One request. The page of the game says what View, Events and Legal hold.
public sealed class Decide
{
    public long Req, TurnMs, BankMs;
    public string Kind;
    public Dictionary<string, object> View;
    public List<object> Events, Legal;
}

public static class KhivaKit
{
    const int FrameMostFromArbiter = 1048576;

    // Play one match: shake hands, answer every decide, return when the input ends.
    public static void Play(string name, Func<Decide, Match, int> choose, string version = "")
    {
        var input = Console.OpenStandardInput();
        // The conversation on a private descriptor, and what is printed to stderr. bot.toml says that it is done already: where
        // mono may not set the priority of its threads, it says so on descriptor 1 before Main runs.
        var given = Environment.GetEnvironmentVariable("CONVERSATION");
        var output = string.IsNullOrEmpty(given) ? dup(1) : int.Parse(given);
        dup2(2, 1);
        fcntl(output, 2, 1); // F_SETFD, FD_CLOEXEC: no child has it
        Console.SetError(new StreamWriter(Console.OpenStandardError()) { AutoFlush = true }); // UTF-8 in any locale
        Console.SetOut(Console.Error);
        Match match = null;
        for (var m = Read(input); m != null; m = Read(input))
        {
            var type = (string)m["type"];
            if (type == "hello")
            {
                var protos = List(m, "protos");
                if (!protos.Contains(1L))
                {
                    Note("the arbiter speaks protocols " + string.Join(", ", protos) + ", this kit speaks 1");
                    return;
                }
                match = new Match
                {
                    Game = (string)m["game"], Rules = Map(m, "rules"), Time = Map(m, "time"),
                    Seat = (int)Number(m, "seat"), Seats = (int)Number(m, "seats"), Seed = Number(m, "seed"),
                };
                if (version == "") Write(output, "type", "hello", "proto", 1L, "name", name);
                else Write(output, "type", "hello", "proto", 1L, "name", name, "version", version);
            }
            else if (type == "decide")
            {
                var decide = new Decide
                {
                    Req = Number(m, "req"), TurnMs = Number(m, "turn_ms"), BankMs = Number(m, "bank_ms"),
                    Kind = (string)m["kind"], View = Map(m, "view"), Events = List(m, "events"), Legal = List(m, "legal"),
                };
                var req = decide.Req; // before the bot can change it
                Write(output, "type", "act", "req", req, "choice", (long)choose(decide, match));
            }
            else if (type == "fault")
            {
                Note("fault: " + m["code"] + ": " + m["detail"] + " (strikes: " + m["strikes"] + ")");
            }
            // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
        }
    }

    // Say something to the people who run the bot, on stderr.
    public static void Note(object words)
    {
        Console.Error.WriteLine(words);
    }

    // What lies in a tree of maps and lists, by keys and indices from outside in.
    public static object At(object tree, params object[] path)
    {
        foreach (var step in path)
            tree = step is int index ? ((List<object>)tree)[index] : ((Dictionary<string, object>)tree)[(string)step];
        return tree;
    }

    public static long Number(object tree, params object[] path) => (long)At(tree, path);

    public static List<object> List(object tree, params object[] path) => (List<object>)At(tree, path);

    public static Dictionary<string, object> Map(object tree, params object[] path) => (Dictionary<string, object>)At(tree, path);

    // --- frames: a length and one MessagePack map; null at the end of input ---

    static Dictionary<string, object> Read(Stream input)
    {
        var head = ReadAll(input, 4);
        if (head == null) return null;
        var size = (uint)(head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3]);
        if (size < 1 || size > FrameMostFromArbiter) throw new InvalidDataException("a frame of " + size + " bytes");
        var payload = ReadAll(input, (int)size);
        return payload == null ? null : Map(MsgPack.Decode(payload));
    }

    static byte[] ReadAll(Stream input, int size)
    {
        var bytes = new byte[size];
        for (int at = 0, got; at < size; at += got)
            if ((got = input.Read(bytes, at, size - at)) == 0) return null;
        return bytes;
    }

    static void Write(int output, params object[] message)
    {
        var payload = MsgPack.Encode(message);
        var frame = new byte[4 + payload.Length];
        frame[2] = (byte)(payload.Length >> 8);
        frame[3] = (byte)payload.Length;
        payload.CopyTo(frame, 4);
        for (int at = 0, put; at < frame.Length; at += put)
        {
            put = (int)write(output, ref frame[at], (IntPtr)(frame.Length - at));
            if (put < 0 && Marshal.GetLastWin32Error() == 4) put = 0; // EINTR: a signal came
            if (put < 0) throw new IOException("an answer could not be written");
        }
    }

    [DllImport("libc")]
    static extern int dup(int descriptor);

    [DllImport("libc")]
    static extern int dup2(int from, int to);

    [DllImport("libc")]
    static extern int fcntl(int descriptor, int command, int flags);

    [DllImport("libc", SetLastError = true)]
    static extern IntPtr write(int descriptor, ref byte first, IntPtr size);
}
