       01  A-NAME-OF-ALMOST-SIXTY-CHARACTERS-AS-SOME-TOOLS-MAKE-THEM.
           05  1ST-LINE                  PIC X(5).
           05  LINE-2                    PIC X(5).
           05  UNDER_SCORE               PIC X(5).
