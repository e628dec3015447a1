// Streams: what is written and read, and the states that are left. Everything is printed and
// compared with a native run.
#include <algorithm>
#include <bitset>
#include <complex>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

using namespace std;

template <typename T> void both(T least, T largest)
{
    cout << least << ' ' << largest << ' ' << hex << least << ' ' << largest << ' ' << oct << least << dec << ' ' << showpos << least
         << ' ' << largest << noshowpos << '\n';
}

static void integers()
{
    both<short>(numeric_limits<short>::min(), numeric_limits<short>::max());
    both<unsigned short>(0, numeric_limits<unsigned short>::max());
    both<int>(numeric_limits<int>::min(), numeric_limits<int>::max());
    both<unsigned>(0, numeric_limits<unsigned>::max());
    both<long>(numeric_limits<long>::min(), numeric_limits<long>::max());
    both<unsigned long>(0, numeric_limits<unsigned long>::max());
    both<long long>(numeric_limits<long long>::min(), numeric_limits<long long>::max());
    both<unsigned long long>(0, numeric_limits<unsigned long long>::max());
    cout << showbase << hex << uppercase << 255 << ' ' << 0 << nouppercase << ' ' << oct << 8 << ' ' << 0 << dec << noshowbase << '\n';
    cout << setbase(16) << 77 << setbase(8) << 77 << setbase(10) << 77 << setiosflags(ios::showpos) << 7 << resetiosflags(ios::showpos) << '\n';
    cout << true << false << boolalpha << true << setw(7) << false << '|' << left << setw(7) << true << '|' << noboolalpha << right << '\n';
    cout << nullptr << ' ' << static_cast<void *>(nullptr) << ' ' << reinterpret_cast<void *>(0xabc) << '\n';
    cout << 'c' << static_cast<signed char>('s') << static_cast<unsigned char>('u') << setw(4) << 'w' << '\n';
}

static void floats()
{
    const double values[] = {0, -0.0, 1, 1.5, -2.25, 1e100, 123456789, 1e-7, 0.1, 1.0 / 3, numeric_limits<double>::infinity(), 2.5e-310};
    for (double value : values) {
        cout << value << ' ' << fixed << setprecision(3) << value << ' ' << scientific << value << ' ' << uppercase << value << nouppercase
             << ' ' << hexfloat << value << defaultfloat << ' ' << setprecision(12) << value << ' ' << showpoint << value << noshowpoint
             << setprecision(0) << ' ' << value << setprecision(6) << ' ' << static_cast<float>(value) << '\n';
    }
    cout << setprecision(-3) << 0.123456789 << setprecision(6) << '\n';
}

static void padding()
{
    for (auto adjust : {ios::left, ios::right, ios::internal, ios::fmtflags()}) {
        cout.setf(adjust, ios::adjustfield);
        for (char fill : {' ', '*', '0'}) {
            cout << setfill(fill) << setw(9) << -42 << '|' << setw(9) << showbase << hex << 42 << dec << noshowbase << '|' << setw(9) << -1.5
                 << '|' << setw(9) << "text" << '|' << setw(9) << string("string") << '|' << setw(3) << "longer" << '|' << setw(2) << 12345 << '|'
                 << setw(5) << 'c' << '|' << cout.width() << '\n';
        }
    }
    cout << setfill(' ') << right;
}

static const char *state(const ios &stream)
{
    static const char *const names[] = {"good", "bad", "eof", "bad eof", "fail", "bad fail", "eof fail", "all"};
    return names[stream.rdstate()];
}

template <typename T> void reads(const char *name, ios::fmtflags flags = ios::dec)
{
    const char *const texts[] = {"0",     "7 x",    "-7",    "+8",     "",     "  ",      "x",      "-",       "99999999999999999999", "-99999999999999999999",
                                 "65536", "-65536", "32768", "-32769", "0x1F", "017",     "08",     "1e3",     "1e",                   "1e+",                  "e5",
                                 "1.5.5", ".5",     ".",     "5.",     "-.5e-2x", "1e400", "-1e400", "0x",      "00x1",                 "true",
                                 "false", "tru",    "fax",   "1",      "2",    "4294967296", "-1", "18446744073709551615", "-9223372036854775808", "9223372036854775808"};
    for (const char *text : texts) {
        istringstream in(text);
        in.setf(flags, ios::basefield | ios::boolalpha);
        T value = T();
        in >> value;
        cout << name << " '" << text << "': " << value << ' ' << state(in);
        in.clear();
        string rest;
        getline(in, rest);
        cout << " '" << rest << "'\n";
    }
}

static void numbers()
{
    reads<short>("short");
    reads<unsigned short>("ushort");
    reads<int>("int");
    reads<int>("int any", ios::fmtflags());
    reads<int>("int hex", ios::hex);
    reads<int>("int oct", ios::oct);
    reads<unsigned>("unsigned");
    reads<long>("long");
    reads<unsigned long>("ulong");
    reads<long long>("llong");
    reads<unsigned long long>("ullong", ios::fmtflags());
    reads<float>("float");
    reads<double>("double");
    reads<bool>("bool");
    reads<bool>("boolalpha", ios::dec | ios::boolalpha);
    reads<char>("char");
    reads<string>("string");
}

static void text()
{
    istringstream in("one  two\n\nthree,four\nfive");
    string word, line;
    char c;
    in >> word;
    cout << word << ' ' << static_cast<char>(in.peek()) << in.tellg() << '\n';
    in >> ws >> c >> noskipws >> c;
    in.unget();
    in.putback('t');
    cout << c << in.get() << ' ' << in.gcount() << '\n';
    while (getline(in, line, ','))
        cout << '[' << line << ']' << state(in) << '\n';
    cout << state(in) << '\n';
    in.clear();
    in.seekg(0);
    char buffer[8];
    in.getline(buffer, sizeof buffer);
    cout << buffer << '|' << in.gcount() << state(in) << '\n';
    in.clear();
    in.ignore(100, '\n');
    cout << in.gcount() << static_cast<char>(in.peek()) << state(in) << '\n';
    in.ignore();
    in.get(buffer, sizeof buffer, ',');
    cout << buffer << '|' << in.gcount() << '\n';
    in.ignore(1);
    in.read(buffer, 3);
    cout << in.gcount() << string(buffer, 3) << '\n';
    cout << in.readsome(buffer, 3) << '\n';
    in.ignore(numeric_limits<streamsize>::max());
    cout << in.gcount() << state(in) << '\n';
    in.clear();
    in.seekg(-4, ios::end);
    in >> setw(3) >> word;
    cout << word << in.width() << state(in) << '\n';
    istringstream narrow("abcdefgh ij");
    char small[8];
    narrow >> setw(4) >> small;
    cout << small << '|';
    narrow >> small;
    cout << small << '|' << state(narrow) << '\n';
}

static void strings()
{
    ostringstream out;
    out << "text " << 5;
    ostringstream thirds;
    thirds << 1.0 / 3 << setw(3) << 7;
    cout << thirds.str() << ' ' << out.precision() << out.width() << out.flags() << out.fill() << '\n';
    out.put('!').write("abc", 2) << ends;
    cout << out.str().size() << out.tellp() << '\n';
    out.seekp(0);
    out << "T";
    cout << out.str().c_str() << '\n';
    out.str("");
    for (int i = 0; i < 200; i++)
        out << i << ',';
    cout << out.str() << '\n';
    ostringstream appended("begin", ios::ate);
    appended << " end";
    stringstream both(appended.str());
    string a, b;
    both >> a >> b;
    cout << a << b << both.str() << state(both) << '\n';
    both.clear();
    both << " more";
    both >> a;
    cout << a << state(both) << '\n';
    stringstream moved(std::move(both));
    moved.clear();
    moved << 1 << ' ' << 2;
    int x = 0, y = 0;
    moved >> x >> y;
    cout << x + y << '\n';
    stringstream other("9");
    other << setfill('#') << hex;
    swap(moved, other);
    moved >> x;
    cout << x << moved.fill() << other.fill() << '\n';
    istringstream source("copied\nas it is");
    cout << source.rdbuf() << '\n';
    ostringstream copy;
    copy.copyfmt(cout);
    streambuf *const before = cout.rdbuf(out.rdbuf());
    cout << "not shown";
    cout.rdbuf(before);
    cout << state(cout) << out.str().substr(out.str().size() - 9) << '\n';
}

// What a program derives from the library.
struct Upper : streambuf {
    string text;
    int overflow(int c) override
    {
        if (c == 'q')
            throw runtime_error("no q");
        if (c == 'z')
            return EOF;
        text += static_cast<char>(toupper(c));
        return c;
    }
};

struct Tagged : ostream {
    Upper buffer;
    Tagged() : ostream(nullptr)
    {
        rdbuf(&buffer);
    }
};

struct Point {
    int x, y;
    friend ostream &operator<<(ostream &out, const Point &point)
    {
        return out << '(' << point.x << ", " << point.y << ')';
    }
    friend istream &operator>>(istream &in, Point &point)
    {
        char open, comma, close;
        return in >> open >> point.x >> comma >> point.y >> close;
    }
};

static void called(ios_base::event event, ios_base &stream, int index)
{
    cout << "event " << event << ' ' << stream.iword(index) << '\n';
}

static void derived()
{
    Tagged tagged;
    tagged << "shout " << 12 << 'x' << Point{3, -4};
    cout << tagged.buffer.text << state(tagged) << '\n';
    tagged << "aqb";
    cout << tagged.buffer.text << state(tagged) << '\n';
    tagged.clear();
    tagged << "z";
    cout << state(tagged) << '\n';
    Point point;
    istringstream in("(5, 6) (7; 8");
    in >> point;
    cout << point << state(in) << '\n';
    in >> point;
    cout << state(in) << '\n';
    istringstream strict("no number");
    strict.exceptions(ios::failbit);
    try {
        strict >> point.x;
    } catch (const ios_base::failure &failure) {
        cout << failure.what() << ' ' << failure.code().category().name() << ' ' << failure.code().message() << '\n';
    }
    const int index = ios_base::xalloc() + 10;
    ostringstream out;
    out.iword(index) = 17;
    out.pword(index + 20) = &out;
    out.register_callback(called, index);
    ostringstream second;
    second.copyfmt(out);
    out.imbue(locale::classic());
    cout << second.iword(index) << (second.pword(index + 20) == &out) << out.getloc().name() << (locale() == locale("C")) << '\n';
    cout << use_facet<ctype<char>>(locale()).toupper('x') << isalpha('x', locale()) << tolower('Q', locale()) << out.widen('w') << out.narrow('n', '?') << '\n';
}

// What other parts of the library write and read.
static void others()
{
    ostringstream out;
    out << bitset<4>(5) << ' ' << complex<double>(1.5, -2) << ' ' << quoted("a\"b") << ' ' << make_error_code(errc::timed_out);
    cout << out.str() << '\n';
    istringstream numbers("5 3 7");
    multiset<int> all{istream_iterator<int>(numbers), istream_iterator<int>()};
    copy(all.begin(), all.end(), ostream_iterator<int>(cout, ", "));
    istringstream raw("x y\nz");
    cout << string(istreambuf_iterator<char>(raw), istreambuf_iterator<char>()) << '\n';
    bitset<4> bits;
    complex<double> number;
    string text;
    istringstream in("1010 (3,4) \"a b\"");
    in >> bits >> number >> quoted(text);
    cout << bits.to_ulong() << number.real() << number.imag() << text << state(in) << '\n';
}

int main()
{
    setvbuf(stdout, nullptr, _IONBF, 0); // as the machine's output
    cout << cout.flags() << ' ' << cerr.flags() << ' ' << cout.precision() << (cin.tie() == &cout) << (cerr.tie() == &cout) << '\n';
    integers();
    floats();
    padding();
    numbers();
    text();
    strings();
    derived();
    others();
    cerr << "error " << 1 << endl;
    clog << "log " << 2.5 << flush << '\n';
    return cout.good() ? 3 : 4;
}
