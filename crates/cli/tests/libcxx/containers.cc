// true
// Containers and strings.
#include <algorithm>
#include <cassert>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

int main()
{
    std::vector<std::string> words{"one", "a string that is too long for its own buffer", "three"};
    std::thread other([&words] {
        words.push_back("four");
        words.insert(words.begin(), "zero");
    });
    other.join();
    assert(words.size() == 5 && words[0] == "zero");
    std::sort(words.begin(), words.end());
    assert(words.front()[0] == 'a' && words.back() == "zero");

    std::map<std::string, int> ages{{"x", 1}, {"y", 2}};
    ages["z"] = 3;
    ages.erase("x");
    assert(ages.size() == 2 && ages.begin()->second == 2);
    std::unordered_map<std::string, int> counts;
    for (int i = 0; i < 20; i++)
        counts["key" + std::to_string(i % 7)] += i;
    assert(counts.size() == 7 && counts.at("key0") == 21);
    std::unordered_set<int> numbers{1, 2, 3, 2};
    assert(numbers.size() == 3 && numbers.count(2));
    std::deque<int> both;
    both.push_front(1);
    both.push_back(2);
    std::list<int> list{3, 1, 2};
    list.sort();
    list.remove(2);
    assert(both.front() == 1 && list.back() == 3 && list.size() == 2);
    std::multiset<int> bag{2, 2, 1};
    assert(bag.count(2) == 2);
    std::vector<int> many(40);
    for (int i = 0; i < 40; i++)
        many[i] = i * 17 % 40;
    std::sort(many.begin(), many.end());
    assert(std::is_sorted(many.begin(), many.end()) && many[39] == 39);
    bool caught = false;
    try {
        (void)many.at(40);
    } catch (const std::out_of_range &) {
        caught = true;
    }
    assert(caught);
}
