       01  FLAGS.
           88  ALL-OFF                   VALUE LOW-VALUES.
           05  FLAG-1                    PIC X.
               88  FLAG-1-ON             VALUE 'Y', 'J' 'O'.
               88  FLAG-1-OFF            VALUES ARE 'N' SPACE.
               88  FLAG-1-SET            VALUE IS 'Y'
                                         WHEN SET TO FALSE IS 'N'.
           05  FLAG-2                    PIC 9(3) COMP-3.
               88  FLAG-2-LOW            VALUE 0 THRU 99.
               88  FLAG-2-MIXED          VALUE 100 200 THROUGH 299
                                               500.
               88  FLAG-2-ZERO           VALUE ZERO.
           05  FLAG-3                    PIC S9V9.
               88  FLAG-3-NEGATIVE       VALUE -9.9 THRU -0.1.
           05  FLAG-4                    PIC XX.
               88  FLAG-4-HEX            VALUE X'0001' X'FFFF'.
               88  FLAG-4-ALL            VALUE ALL '*'.
