       REPLACE ==AMOUNT-PICTURE== BY ==PIC S9(9)V99 COMP-3==
               LEADING ==OLD-== BY ==NEW-==.
       01  REPLACED-RECORD.
           05  RP-NET                    AMOUNT-PICTURE.
           05  OLD-GROSS                 AMOUNT-PICTURE.
       REPLACE OFF.
           05  OLD-END                   PIC X.
