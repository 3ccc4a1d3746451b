           05  DP-DATE.
               10  DP-YEAR               PIC 9(4).
               10  DP-MONTH              PIC 99.
               10  DP-DAY                PIC 99.
