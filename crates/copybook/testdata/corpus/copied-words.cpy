       01  WORD-RECORD.
           COPY DATEPART REPLACING DP-DATE BY WR-DATE
                                   DP-YEAR BY WR-YEAR
                                   ==99== BY ==X(3)==.
