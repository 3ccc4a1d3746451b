       78  NAME-LENGTH                   VALUE 24.
       78  TABLE-SIZE                    VALUE NAME-LENGTH / 4.
       78  GREETING                      VALUE 'HI'.
       01  LIMIT-OF-LINES CONSTANT AS 3.
       01  BY-CONSTANT.
           05  BC-NAME                   PIC X(NAME-LENGTH).
           05  BC-ITEM                   PIC 9(4) OCCURS TABLE-SIZE.
           05  BC-LINE OCCURS LIMIT-OF-LINES TIMES PIC X(2).
           05  BC-GREETING               PIC X(2) VALUE GREETING.
