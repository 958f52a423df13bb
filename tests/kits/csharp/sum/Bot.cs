// The sum of a value: for tests of what the kit makes of bytes.
using System;
using System.Collections.Generic;
using System.Text;

static class Bot
{
    const long M = 2147483647;

    static long Total(object value)
    {
        if (value == null) return 1;
        if (value is bool) return (bool)value ? 3 : 2;
        if (value is long) return (4 * 31 + ((long)value % M + M) % M) % M;
        long sum = value is string ? 5 : 6;
        if (value is string)
            foreach (var letter in Encoding.UTF8.GetBytes((string)value)) sum = (sum * 31 + letter) % M;
        else if (value is List<object>)
            foreach (var item in (List<object>)value) sum = (sum * 31 + Total(item)) % M;
        else
            foreach (var pair in (Dictionary<string, object>)value) sum = (sum + Total(pair.Key) * 31 + Total(pair.Value)) % M;
        return sum;
    }

    static int Choose(Decide decide, Match match)
    {
        Console.WriteLine("noise " + decide.Req);
        decide.Req = 5;
        return (int)Total(decide.View["value"]);
    }

    static void Main()
    {
        KhivaKit.Play("süm", Choose);
    }
}
