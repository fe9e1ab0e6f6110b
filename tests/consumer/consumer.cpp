// Makes a context, and says why there is none.
#include "@PREFIX@.hpp"
#include <cstdio>

int main()
{
  try {
    @PREFIX@::context context;
    std::printf("%d success\n", SINGE_SUCCESS);
  } catch (const @PREFIX@::error &error) {
    std::printf("%d %s\n", error.status(), error.what());
  }
  return 0;
}
