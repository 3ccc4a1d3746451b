       01  PERIOD-RECORD.
           05  PR-FROM.
           COPY PARTS REPLACING ==:TAG:== BY ==FROM==
                                ==:LEN:== BY ==4==.
           05  PR-UNTIL.
           COPY PARTS REPLACING ==:TAG:== BY ==UNTIL==
                                ==:LEN:== BY ==6==.
