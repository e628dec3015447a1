// The containers of the standard library, whose out-of-line parts the model library has.
#include <algorithm>
#include <cassert>
#include <deque>
#include <iostream>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

static int value(int i)
{
    return i * 37 % 101;
}

int main()
{
    std::map<std::string, int> map;
    std::set<int> set;
    std::unordered_map<std::string, int> table;
    std::list<int> list;
    std::deque<int> deque;
    for (int i = 0; i < 12; i++) {
        map["key " + std::to_string(value(i))] = value(i);
        set.insert(value(i));
        table[std::to_string(value(i))] += value(i);
        list.push_front(value(i));
        deque.push_back(value(i));
    }
    assert(map.size() == 12 && set.size() == 12 && table.size() == 12);
    for (int i = 0; i < 12; i += 2) {
        assert(set.erase(value(i)) == 1);
        assert(map.erase("key " + std::to_string(value(i))) == 1);
        assert(table.erase(std::to_string(value(i))) == 1);
    }
    int last = -1;
    for (int v : set) {
        assert(v > last);
        last = v;
    }
    for (auto v = set.rbegin(); v != set.rend(); ++v) {
        assert(*v <= last);
        last = *v;
    }
    for (int i = 1; i < 12; i += 2)
        assert(table.at(std::to_string(value(i))) == value(i) && map.count("key " + std::to_string(value(i))));
    list.sort();
    list.reverse();
    std::list<int> other{1, 2};
    other.swap(list);
    assert(list.size() == 2 && other.size() == 12 && other.front() > other.back());
    std::sort(deque.begin(), deque.end());
    assert(std::is_sorted(deque.begin(), deque.end()));
    std::string text(100, 'x');
    assert(text.find('y') == std::string::npos && text.substr(97).append("y") == "xxxy");
    std::cout << text << ' ' << 3.5 << std::endl;
    return 0;
}
