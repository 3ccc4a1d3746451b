       01  PARTIAL-RECORD.
           COPY DATEPART REPLACING LEADING ==DP-== BY ==START-==
                                   ==PIC 9(4)== BY ==PIC S9(4) COMP==.
           COPY DATEPART REPLACING LEADING ==DP-== BY ==STOP-==
                                   TRAILING ==-DAY== BY ==-D==.
