#include "chem.hpp"
#include <cstdio>
int main()
try {
  chem::context context;
  std::puts("0");
} catch (const chem::error &error) {
  std::printf("%d 1 %s\n", error.status(), error.what());
}
