      * ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
      * A structure as tools write it for a JSON schema
      * ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
       01 BAQBASE-RBK02Q01.
          03 requestPathParameters-num     PIC S9(9) COMP-5 SYNC.
          03 requestBody-existence         PIC S9(9) COMP-5 SYNC.
          03 requestBody-cont              PIC X(16).
       01 RBK02Q01-requestBody.
          03 Xtitle-length                 PIC S9999 COMP-5 SYNC.
          03 Xtitle                        PIC X(80).
          03 price                         PIC S9(7)V99 COMP-3.
          03 in-stock                      PIC X DISPLAY.
