       01  FX-ANSWER.
          03 FX-AMOUNT                PIC S9(9)V9(2) COMP-3.
          03 FX-FROM                  PIC X(3).
          03 FX-TO                    PIC X(3).
          03 FX-RATE                  PIC 9(5)V9(6) COMP-3.
          03 FX-RESULT                PIC S9(11)V9(2) COMP-3.
          03 FX-REMARK                PIC X(40).
