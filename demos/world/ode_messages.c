/* Stock ODE complains of its own LCP solver on stderr, sometimes at every step: counted instead.
 * ODE's handler is global and has no context, so the count must be too. */
#include "demos/world/world.h"

#include <stdarg.h>

static _Thread_local long messages;

static void count_message(int number, const char *format, va_list list)
{
    (void)number, (void)format, (void)list;
    messages++;
}

void lab_count_ode_messages(void)
{
    dSetMessageHandler(count_message);
}

long lab_take_ode_messages(void)
{
    long count = messages;
    messages = 0;
    return count;
}
