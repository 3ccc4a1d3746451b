000100*****************************************************************
000200* CUSTOMER MASTER RECORD                                         *
000300*****************************************************************
000400 01  CUSTOMER-RECORD.                                             CUST0001
000500     05  CUSTOMER-KEY.                                            CUST0002
000600         10  CUSTOMER-BRANCH       PIC 9(4).                      CUST0003
000700         10  CUSTOMER-NUMBER       PIC 9(8).                      CUST0004
000800     05  CUSTOMER-NAME.                                           CUST0005
000900         10  CUSTOMER-TITLE        PIC X(6).                      CUST0006
001000         10  CUSTOMER-FIRST-NAME   PIC X(20).                     CUST0007
001100         10  CUSTOMER-LAST-NAME    PIC X(30).                     CUST0008
001200     05  CUSTOMER-BIRTH-DATE       PIC 9(8).                      CUST0009
001300     05  FILLER REDEFINES CUSTOMER-BIRTH-DATE.                    CUST0010
001400         10  CUSTOMER-BIRTH-YEAR   PIC 9(4).                      CUST0011
001500         10  CUSTOMER-BIRTH-MONTH  PIC 9(2).                      CUST0012
001600         10  CUSTOMER-BIRTH-DAY    PIC 9(2).                      CUST0013
001700     05  CUSTOMER-STATUS           PIC X.                         CUST0014
001800         88  CUSTOMER-ACTIVE       VALUE 'A'.                     CUST0015
001900         88  CUSTOMER-CLOSED       VALUE 'C' 'X'.                 CUST0016
002000         88  CUSTOMER-KNOWN        VALUE 'A' THRU 'Z'.            CUST0017
002100     05  CUSTOMER-CREDIT-LIMIT     PIC S9(9)V99 COMP-3.           CUST0018
002200     05  CUSTOMER-ADDRESS OCCURS 3 TIMES                          CUST0019
002300                          INDEXED BY ADDRESS-INDEX.               CUST0020
002400         10  ADDRESS-LINE          PIC X(35) OCCURS 4.            CUST0021
002500         10  ADDRESS-POSTCODE      PIC X(8).                      CUST0022
002600     05  FILLER                    PIC X(12).                     CUST0023
