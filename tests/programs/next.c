/* Prints 1 if the library of next_library.c finds the function that it stands in for, and calls no
 * function of ODE. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    return printf("%d\n", (int)getpid()) < 0;
}
