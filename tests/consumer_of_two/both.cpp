// Contexts of two projects in one file.
#include "first.hpp"
#include "second.hpp"
#include <cstdio>

int main()
{
  try {
    first::context one;
    second::context two;
    std::printf("%d\n", SINGE_SUCCESS);
  } catch (const first::error &error) {
    std::printf("%d\n", error.status());
  }
  return 0;
}
