/* Messages of the launcher. */
#ifndef PEG_LAUNCH_LOG_H
#define PEG_LAUNCH_LOG_H

/* Opens --log; without it messages go to standard error. */
void peg_log_begin(void);
void peg_log(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull(1)));
/* Something that exact contacts cannot do: ends the program if --strict is set. */
void peg_unsupported(const char *text);

#endif
